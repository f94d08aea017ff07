// A member with @platformatic/kafka. It has no callback for every change of its assignment, so what it does
// to its properties `assignments` and `memberId` is watched, which is where it learns of them. A subscription
// is replaced by another client, and so is a stream that has failed.
import { readFileSync } from 'node:fs'
import { Consumer } from '@platformatic/kafka'
import { emit, error, fatal, POLL_MS, serve, sleep, Work } from './lines.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@platformatic/kafka'))))
const REPORTS = ['assigned', 'revoked', 'lost', 'records', 'committed']

/** Call back after each assignment to a property of the object. */
function watch (object, name, changed) {
  let value = object[name]
  Object.defineProperty(object, name, {
    get: () => value,
    set: next => {
      const before = value
      value = next
      changed(next, before)
    }
  })
}

class Member {
  work = new Work()
  wait = 0
  spans = new Map()
  turn = 0

  settings (start) {
    const settings = {
      clientId: start.client,
      bootstrapBrokers: [start.bootstrap],
      groupId: start.group,
      metadataMaxAge: start.metadata_ms,
      sessionTimeout: start.session_ms,
      heartbeatInterval: start.heartbeat_ms,
      rebalanceTimeout: Math.max(start.session_ms, start.max_poll_ms), // no less is taken
      maxWaitTime: POLL_MS,
      ...(start.instance ? { groupInstanceId: start.instance } : {})
    }
    if (start.protocol === 'consumer') {
      const assignor = start.strategies[0]
      return { ...settings, groupProtocol: 'consumer', ...(assignor ? { groupRemoteAssignor: assignor } : {}) }
    }
    for (const name of start.strategies) if (name !== 'roundrobin') throw new Error(`no strategy ${name}`)
    return settings
  }

  make (start) {
    this.start = start
    const consumer = this.consumer = new Consumer(this.settings(start))
    const mine = call => (...all) => { if (this.consumer === consumer) call(...all) }
    watch(consumer, 'assignments', mine(all => this.learn(all ?? [])))
    watch(consumer, 'memberId', mine((id, before) => { if (before && id === null) this.work.giveUp('lost') }))
    consumer.on('consumer:group:rebalance', mine(() => this.work.giveUp('revoked')))
    consumer.on('consumer:heartbeat:error', mine(event => error('heartbeat', event?.error)))
    consumer.on('error', mine(cause => error('client', cause)))
  }

  /** The client has learned of its whole assignment. */
  learn (all) {
    const next = new Map(all.flatMap(({ topic, partitions }) => partitions.map(p => [`${topic}:${p}`, [topic, p]])))
    const gone = [...this.work.owned].filter(([key]) => !next.has(key)).map(([, each]) => each)
    const added = [...next].filter(([key]) => !this.work.owned.has(key)).map(([, each]) => each)
    if (gone.length > 0) this.work.giveUp('revoked', gone)
    this.work.assigned(added)
  }

  async consume (topics) {
    const turn = ++this.turn
    this.topics = topics
    const mode = this.start.offset_reset === 'earliest' ? 'earliest' : 'latest'
    const stream = await this.consumer.consume({ topics, autocommit: false, mode: 'committed', fallbackMode: mode })
    stream.on('data', ({ topic, partition, offset }) => {
      const span = this.spans.get(`${topic}:${partition}`)
      if (span) span.splice(3, 2, Number(offset), span[4] + 1)
      else this.spans.set(`${topic}:${partition}`, [topic, partition, Number(offset), Number(offset), 1])
    })
    stream.on('error', cause => {
      error('stream', cause)
      if (this.turn === turn) this.subscribe(topics, 'lost').catch(again => error('consume', again))
    })
    while (this.turn === turn) {
      this.flush()
      if (this.work.isDue) await this.commit()
      if (this.wait) {
        stream.pause()
        await sleep(this.wait)
        stream.resume()
      }
      await sleep(POLL_MS)
    }
  }

  flush () {
    const spans = [...this.spans.values()]
    this.spans.clear()
    this.work.read(spans)
  }

  commit () {
    const offset = ([topic, partition, next]) => ({ topic, partition, offset: BigInt(next), leaderEpoch: -1 })
    return this.work.commit(all => this.consumer.commit({ offsets: all.map(offset) })).catch(() => {})
  }

  pace (ms) {
    this.wait = ms
  }

  async subscribe (topics, kind = 'revoked') {
    const before = this.consumer
    this.turn++
    this.flush()
    if (kind === 'revoked') await this.commit()
    this.work.giveUp(kind)
    this.consumer = undefined
    await before.close(true)
    this.make(this.start)
    this.run(topics)
  }

  /** Consume, and again if that fails, as it may while the group rebalances. */
  run (topics) {
    const consumer = this.consumer
    this.consume(topics).catch(async cause => {
      error('consume', cause)
      await sleep(POLL_MS)
      if (this.consumer === consumer) await this.subscribe(topics, 'lost')
    }).catch(cause => error('consume', cause))
  }

  async close () {
    this.turn++
    this.flush()
    await this.commit()
    await this.consumer.close(true)
  }
}

serve(async start => {
  const member = new Member()
  try {
    member.make(start)
  } catch (cause) {
    fatal(cause)
  }
  emit('ready', { library: 'platformatic', version, reports: REPORTS })
  member.run(start.topics)
  return member
})
