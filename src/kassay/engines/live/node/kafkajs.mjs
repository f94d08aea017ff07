// A member with kafkajs. It reports no revocation when it closes, and some in its log alone: that it is no longer
// known to the coordinator, or joins again for new metadata. A subscription is replaced by another client, as it
// can only grow.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { emit, error, POLL_MS, serve, sleep, Work } from './lines.mjs'

const require = createRequire(import.meta.url)
const { Kafka, PartitionAssigners, logLevel } = require('kafkajs')
const { version } = require('kafkajs/package.json')
const REPORTS = ['assigned', 'revoked', 'lost', 'records', 'committed']
const UNKNOWN_MEMBER = 'The coordinator is not aware of this member, re-joining the group'
const REJOINS = /^Stale cluster metadata, refreshing\.\.\.|, resync group$/

/** The assigner of a strategy: kafkajs's own, or the only function that a file or package exports. */
async function assigner (name) {
  if (name === 'roundrobin') return PartitionAssigners.roundRobin
  const path = name.startsWith('/') ? createRequire(name).resolve(name) : name
  const exported = await import(pathToFileURL(path))
  const found = [...new Set([exported.default, ...Object.values(exported.default ?? {}), ...Object.values(exported)])]
    .filter(each => typeof each === 'function')
  if (found.length !== 1) throw new Error(`${name}: ${found.length} exported functions, expected one assigner`)
  return found[0]
}

class Member {
  work = new Work()
  wait = 0

  async open (start, topics) {
    this.start = start
    const kafka = new Kafka({
      clientId: start.client,
      brokers: [start.bootstrap],
      logLevel: logLevel.DEBUG,
      logCreator: () => ({ log, level }) => this.log(log, level),
      retry: { initialRetryTime: POLL_MS }
    })
    const consumer = this.consumer = kafka.consumer({
      groupId: start.group,
      sessionTimeout: start.session_ms,
      rebalanceTimeout: start.max_poll_ms,
      heartbeatInterval: start.heartbeat_ms,
      metadataMaxAge: start.metadata_ms,
      maxWaitTimeInMs: POLL_MS,
      partitionAssigners: await Promise.all(start.strategies.map(assigner))
    })
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      if (this.consumer !== consumer) return
      if (this.work.owned.size > 0) this.work.giveUp('lost') // it did not say when
      this.work.assigned(Object.entries(payload.memberAssignment).flatMap(([t, all]) => all.map(p => [t, p])))
    })
    consumer.on(consumer.events.REBALANCING, () => this.work.giveUp('revoked'))
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      this.work.giveUp('lost')
      error(payload.restart ? 'crash, and restart' : 'crash', payload.error)
    })
    await consumer.connect()
    await consumer.subscribe({ topics, fromBeginning: start.offset_reset === 'earliest' })
    await consumer.run({ autoCommit: false, eachBatch: batch => this.batch(batch) })
  }

  log ({ message, error: detail }, level) {
    if (message === UNKNOWN_MEMBER) this.work.giveUp('lost')
    if (REJOINS.test(message)) this.work.giveUp('revoked')
    if (level <= logLevel.ERROR) emit('error', { text: detail ? `${message}: ${detail}` : message })
  }

  async batch ({ batch, heartbeat, commitOffsetsIfNecessary }) {
    const offsets = batch.messages.map(each => Number(each.offset))
    this.work.read([[batch.topic, batch.partition, offsets[0], offsets.at(-1), offsets.length]])
    if (this.wait) await sleep(this.wait)
    const commit = () => this.work.commit(all => commitOffsetsIfNecessary({ topics: byTopic(all) }))
    try {
      await heartbeat()
    } catch (cause) { // the group rebalances: what was read is committed before the member rejoins
      await commit().catch(() => {})
      throw cause
    }
    if (this.work.isDue) await commit()
  }

  pace (ms) {
    this.wait = ms
  }

  async subscribe (topics) {
    this.work.giveUp('revoked')
    await this.consumer.disconnect()
    await this.open(this.start, topics)
  }

  async close () {
    const flat = all => all.map(([topic, partition, offset]) => ({ topic, partition, offset: String(offset) }))
    await this.work.commit(all => this.consumer.commitOffsets(flat(all))).catch(() => {})
    await this.consumer.disconnect()
  }
}

function byTopic (all) {
  const topics = new Map()
  for (const [topic, partition, offset] of all) {
    if (!topics.has(topic)) topics.set(topic, { topic, partitions: [] })
    topics.get(topic).partitions.push({ partition, offset: String(offset) })
  }
  return [...topics.values()]
}

serve(async start => {
  const member = new Member()
  emit('ready', { library: 'kafkajs', version, reports: REPORTS })
  member.open(start, start.topics).catch(cause => error('run', cause))
  return member
})
