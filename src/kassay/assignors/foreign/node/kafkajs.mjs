// Assigners of kafkajs: `({ cluster, groupId, logger }) => ({ name, version, assign, protocol })`.
//
// What kafkajs does around them is done here too (src/consumer/consumerGroup.js): `protocol` at each join, `assign`
// by the leader with its own topics and what all members sent. The leader's metadata holds the topics that it reads.
// A member without an entry in the answer gets nothing.

import { Unfit } from './load.mjs'

const TEXT = new TextDecoder('utf-8', { fatal: true })

// Reads the consumer protocol; whatever does not fit throws a RangeError.
class Reader {
  constructor(buffer) {
    this.buffer = buffer
    this.at = 0
  }
  integer(bytes) {
    const value = this.buffer.readIntBE(this.at, bytes)
    this.at += bytes
    return value
  }
  part(length) {
    if (length < 0) return null
    if (this.at + length > this.buffer.length) throw new RangeError('the buffer ends too early')
    return this.buffer.subarray(this.at, (this.at += length))
  }
  text() {
    return TEXT.decode(this.part(this.integer(2)))
  }
  list(read) {
    const values = []
    for (let left = this.integer(4); left > 0; left -= 1) values.push(read())
    return values
  }
}

function decoded(what, buffer, read) {
  if (!Buffer.isBuffer(buffer)) throw new Unfit(`${what} is ${shown(buffer)}, expected a Buffer`)
  try {
    return read(new Reader(buffer))
  } catch (error) {
    throw new Unfit(`${what} is not of the consumer protocol: ${error.message}`, { cause: error })
  }
}

function userDataOf(buffer) {
  return decoded('metadata of protocol()', buffer, reader => {
    reader.integer(2)
    reader.list(() => reader.text())
    return reader.part(reader.integer(4))
  })
}

// Pairs of topic and partition; of a topic that is listed twice a kafkajs member takes the last list.
function partitionsOf(buffer, member) {
  if (Buffer.isBuffer(buffer) && buffer.length < 2) return []
  const byTopic = decoded(`memberAssignment of ${member}`, buffer, reader => {
    reader.integer(2)
    return new Map(reader.list(() => [reader.text(), reader.list(() => reader.integer(4))]))
  })
  return [...byTopic].flatMap(([topic, numbers]) => numbers.map(number => [topic, number]))
}

function subscription(version, topics, userData) {
  const parts = [int(2, version), int(4, topics.length)]
  for (const topic of topics) parts.push(int(2, Buffer.byteLength(topic)), Buffer.from(topic))
  return Buffer.concat([...parts, int(4, userData.length), userData])
}

function int(bytes, value) {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}

function shown(value) {
  return value === null || typeof value !== 'object' ? String(value) : `of type ${value.constructor?.name}`
}

const unique = values => [...new Set(values)]
const silent = { debug() {}, info() {}, warn() {}, error() {}, namespace: () => silent, setLogLevel() {} }

// The adapter of one member's assigner; throws where the factory makes none.
export function kafkajs(factory, exported) {
  let partitions = new Map()
  const cluster = { findTopicPartitionMetadata: topic => partitions.get(topic) ?? [] }
  const assigner = factory({ cluster, groupId: 'kassay', logger: silent })
  if (typeof assigner?.assign !== 'function' || typeof assigner?.protocol !== 'function') {
    throw new Unfit(
      `${exported} made ${shown(assigner)}, expected a kafkajs assigner { name, version, assign, protocol }; ` +
        'a function of (current, members, topics, metadata) is one of @platformatic/kafka'
    )
  }

  function userData(topics) {
    const joined = assigner.protocol({ topics: unique(topics) })
    const data = userDataOf(joined?.metadata)
    return data?.length ? data.toString('base64') : null
  }

  async function assign({ leader, members, partitions_per_topic: counts }) {
    const topics = unique((members.find(member => member.id === leader) ?? members[0]).topics)
    const known = topics.filter(topic => Object.hasOwn(counts, topic))
    partitions = new Map(known.map(topic => [topic, Array.from({ length: counts[topic] }, metadataOf)]))
    const joined = members.map(member => ({
      memberId: member.id,
      memberMetadata: subscription(
        assigner.version ?? 0,
        unique(member.topics),
        Buffer.from(member.user_data ?? '', 'base64')
      ),
    }))
    const given = await assigner.assign({ members: joined, topics })
    if (!Array.isArray(given)) {
      throw new Unfit(`assign answered ${shown(given)}, expected [{ memberId, memberAssignment }]`)
    }
    const answer = Object.fromEntries(members.map(member => [member.id, []]))
    for (const each of given) answer[each.memberId] = partitionsOf(each.memberAssignment, each.memberId)
    return answer
  }

  return { userData, assign }
}

function metadataOf(_, partitionId) {
  return { partitionErrorCode: 0, partitionId, leader: 0, replicas: [0], isr: [0], offlineReplicas: [] }
}
