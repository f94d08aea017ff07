// Assigners of @platformatic/kafka: `(current, members, topics, metadata) => [{ memberId, assignments }]`.
//
// What its consumer does around them is done here too (dist/clients/consumer/consumer.js): the leader hands over its
// own topics and the metadata of all topics that its group reads; a member that is alone takes all it reads itself.

const EMPTY = Buffer.alloc(0)

const unique = values => [...new Set(values)]

function metadataOf(members, counts) {
  const known = unique(members.flatMap(member => member.topics)).filter(topic => Object.hasOwn(counts, topic))
  const brokers = new Map([[0, { nodeId: 0, host: 'localhost', port: 9092, rack: null }]])
  const topics = new Map(known.map(topic => [topic, topicOf(counts[topic])]))
  return { id: 'kassay', brokers, controllerId: 0, topics, lastUpdate: 0 }
}

function topicOf(partitionsCount) {
  const one = { leader: 0, leaderEpoch: 0, replicas: [0], isr: [0], offlineReplicas: [] }
  const partitions = Object.fromEntries(Array.from({ length: partitionsCount }, (_, number) => [number, one]))
  return { id: '00000000-0000-0000-0000-000000000000', partitions, partitionsCount, lastUpdate: 0 }
}

function pairs(assignments) {
  return assignments.flatMap(({ topic, partitions }) => partitions.map(number => [topic, number]))
}

// The adapter of one member's assigner, which is told nothing between calls.
export function platformatic(assigner) {
  function assign({ leader, members, partitions_per_topic: counts }) {
    const topics = unique((members.find(member => member.id === leader) ?? members[0]).topics)
    const metadata = metadataOf(members, counts)
    const answer = Object.fromEntries(members.map(member => [member.id, []]))
    if (members.length === 1) {
      const all = topic => ({ topic, partitions: [...Array(metadata.topics.get(topic)?.partitionsCount ?? 0).keys()] })
      answer[members[0].id] = pairs(topics.map(all))
      return answer
    }
    const joined = members.map(member => [
      member.id,
      { memberId: member.id, version: 0, topics: unique(member.topics), metadata: EMPTY },
    ])
    for (const { memberId, assignments } of assigner(leader, new Map(joined), new Set(topics), metadata)) {
      answer[memberId] = pairs(Array.from(assignments.values()))
    }
    return answer
  }

  return { userData: () => null, assign }
}
