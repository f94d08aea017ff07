// Puts an assigner of npm to the test: a program of version 2 of the exec protocol (docs/exec-protocol.md).
//
//   node host.mjs FOLDER PACKAGE EXPORT
//
// FOLDER holds the node_modules; PACKAGE is the name of a package, or a file; EXPORT is a dotted name, or default.
// Standard output belongs to the protocol: what the package prints there goes to standard error.

import { createInterface } from 'node:readline'
import { kafkajs } from './kafkajs.mjs'
import { load, Unfit } from './load.mjs'
import { platformatic } from './platformatic.mjs'

const [folder, name, exported] = process.argv.slice(2)
const output = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)

const OWN = new URL('.', import.meta.url).href
const objects = new Map()
let target

async function hello() {
  target ??= await load(folder, name, exported)
  return {
    kassay: 2,
    name: `${name}!${exported}`,
    kind: 'assignor',
    protocols: ['eager'],
    supports: ['new', 'user_data', 'drop', 'batch', 'round'],
    versions: target.versions,
  }
}

async function created(request) {
  target ??= await load(folder, name, exported)
  // a platformatic assigner is a function of the group, a kafkajs one a function that makes an assigner
  const adapter = target.value.length > 1 ? platformatic(target.value) : kafkajs(target.value, exported)
  objects.set(request.object, adapter)
  return {}
}

function object(request) {
  const adapter = objects.get(request.object)
  if (adapter === undefined) throw new Error(`there is no object ${request.object}`)
  return adapter
}

function dropped(request) {
  for (const number of request.objects) objects.delete(number)
  return null
}

const CALLS = {
  hello,
  new: created,
  drop: dropped,
  user_data: request => object(request).userData(request.topics),
  assign: request => object(request).assign(request),
}

// What was thrown, and the line of the package that threw it.
function told(error) {
  if (error instanceof Unfit) return error.message
  if (!(error instanceof Error)) return `${typeof error} thrown: ${String(error)}`
  const lines = String(error.stack ?? '').split('\n').filter(line => !line.includes(OWN))
  const at = lines.map(line => line.match(/([^/\\( ]+\.[cm]?[jt]s:\d+):\d+\)?$/)?.[1]).find(Boolean)
  return `${error.name}: ${error.message}${at ? ` (${at})` : ''}`
}

async function reply(request) {
  try {
    const call = Object.hasOwn(CALLS, request.call) ? CALLS[request.call] : undefined
    if (call === undefined) return { error: `there is no call ${request.call}` }
    return { answer: await call(request) }
  } catch (error) {
    return { error: told(error) }
  }
}

// Does one call, of which a line is written; resolves to that line.
async function done(id, request) {
  const line = { id, ...(await reply(request)) }
  output(`${JSON.stringify(line)}\n`)
  return line
}

// What every member sends, the leader's answer, and the second looks: a line each, up to the first that failed.
async function round(id, request) {
  const sent = new Map()
  for (const member of request.members) {
    const line = await done(id, { call: 'user_data', object: member.object, topics: member.topics })
    if ('error' in line) return
    sent.set(member.id, line.answer)
  }
  const asked = input => ({
    ...input,
    call: 'assign',
    members: input.members.map(member => ({ ...member, user_data: sent.get(member.id) ?? null })),
  })
  if ('error' in (await done(id, asked(request)))) return
  for (const look of request.looks ?? []) await done(id, asked({ ...request, ...look }))
}

async function handle(id, request) {
  if (request.call === 'batch') for (const each of request.requests) await handle(id, each)
  else if (request.call === 'round') await round(id, request)
  else await done(id, request)
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  await handle(request.id, request)
}
process.exit(0)
