// The protocol between kassay and a client program: JSON lines, commands in, events out.
import { createInterface } from 'node:readline'

const TICK_MS = 50
const STALLED_MS = 200
export const POLL_MS = 100
export const COMMIT_MS = 500

console.log = console.error // standard output has events alone

/** CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share. */
export const now = () => process.hrtime.bigint()

/** Write an event; a time is a BigInt, as it may exceed the exact whole numbers. */
export function emit (event, fields = {}, t = now()) {
  const text = JSON.stringify({ event, ...fields }, (_, value) => (typeof value === 'bigint' ? `@${value}` : value))
  process.stdout.write(`${text.slice(0, -1).replace(/"@(\d+)"/g, '$1')},"t":${t}}\n`)
}

export const error = (what, cause) => emit('error', { text: `${what}: ${words(cause)}` })

export function fatal (cause) {
  emit('fatal', { text: words(cause) })
  process.exit(1)
}

/** The messages of an error and of what caused it. */
function words (cause) {
  const inner = [...(cause?.errors ?? []), ...(cause?.cause ? [cause.cause] : [])].map(words)
  return [cause?.message ?? String(cause), ...inner].join(' <- ')
}

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

/** The canary: it should tick every 50 ms. */
function watch () {
  let last = now()
  setInterval(() => {
    const t = now()
    const late = Number((t - last) / 1_000_000n)
    if (late > STALLED_MS) emit('stall', { ms: late }, t)
    last = t
  }, TICK_MS)
}

/** What was read and not committed yet, of partitions that the member owns; and its callbacks. */
export class Work {
  owned = new Map()
  pending = new Map()
  last = now()

  #call (kind, phase, partitions) {
    emit(kind, { phase, partitions })
  }

  assigned (partitions) {
    this.#call('assigned', 'begin', partitions)
    for (const each of partitions) this.owned.set(each.join(':'), each)
    this.#call('assigned', 'end', partitions)
  }

  /** Give up partitions, `revoked` or `lost`; without a list all that the member owns. */
  giveUp (kind, partitions = [...this.owned.values()]) {
    this.#call(kind, 'begin', partitions)
    for (const each of partitions) {
      this.owned.delete(each.join(':'))
      this.pending.delete(each.join(':'))
    }
    this.#call(kind, 'end', partitions)
  }

  /** Report records: [topic, partition, first, last, count]. */
  read (spans) {
    if (spans.length === 0) return
    emit('records', { records: spans })
    for (const [topic, number, , last] of spans) {
      if (this.owned.has(`${topic}:${number}`)) this.pending.set(`${topic}:${number}`, [topic, number, last + 1])
    }
  }

  get isDue () {
    return this.pending.size > 0 && now() - this.last >= BigInt(COMMIT_MS) * 1_000_000n
  }

  /** Commit everything with the library's own call; rethrows what it throws. */
  async commit (call) {
    const offsets = [...this.pending.values()]
    this.pending.clear()
    this.last = now()
    if (offsets.length === 0) return
    const began = now()
    try {
      await call(offsets)
    } catch (cause) {
      error('commit', cause)
      throw cause
    }
    emit('committed', { began, offsets })
  }
}

/**
 * Serve: `open(start)` makes a client with `subscribe(topics)`, `pace(ms)` and `close()`.
 * The end of standard input is the command to close.
 */
export function serve (open) {
  watch()
  process.on('unhandledRejection', cause => error('unhandled', cause))
  process.on('uncaughtException', cause => error('uncaught', cause))
  let client
  let turn = Promise.resolve()
  let closing = false
  const close = async () => {
    if (closing) return
    closing = true
    emit('closing')
    await client.close().catch(cause => error('close', cause))
    emit('closed')
    process.exit(0)
  }
  const obey = async command => {
    if (command.do === 'start') client = await open(command).catch(fatal)
    else if (command.do === 'subscribe') await client.subscribe(command.topics)
    else if (command.do === 'pace') client.pace(command.wait_ms)
    else await close()
  }
  const next = command => { turn = turn.then(() => obey(command)).catch(cause => error(command.do, cause)) }
  createInterface({ input: process.stdin })
    .on('line', line => next(JSON.parse(line)))
    .on('close', () => next({ do: 'close' }))
}
