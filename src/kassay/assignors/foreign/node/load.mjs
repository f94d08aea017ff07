// Finds what is to be tested: the export of a package of a folder's node_modules, or of a file.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'

// What an assigner is or does that no client of Kafka could use.
export class Unfit extends Error {}

// The package as a module beside the folder's node_modules would import it.
async function imported(folder, name) {
  if (isAbsolute(name)) return import(pathToFileURL(name))
  const beside = join(folder, 'beside.cjs')
  const loader = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER
  let file
  try {
    file = createRequire(beside).resolve(name)
  } catch (error) {
    // some packages are for import alone, which Node resolves beside a file only in newer releases
    if (error.code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED' || loader === undefined) throw error
    const options = { filename: beside, importModuleDynamically: loader }
    return new vm.Script('name => import(name)', options).runInThisContext()(name)
  }
  return import(pathToFileURL(file))
}

const isObject = value => value !== null && ['object', 'function'].includes(typeof value)

// The value that the dotted name leads to, in the module or in its default export.
function exportedBy(module, exported) {
  if (exported === 'default') return module.default
  for (const start of [module, module.default]) {
    let value = start
    for (const part of exported.split('.')) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
    if (value !== undefined) return value
  }
  return undefined
}

// Names of the functions that a module exports, itself or in an object.
function functionsOf(module) {
  const names = []
  for (const [name, value] of Object.entries({ ...module.default, ...module })) {
    if (name === 'module.exports') continue
    if (typeof value === 'function') names.push(name)
    else if (isObject(value) && name !== 'default') {
      names.push(...Object.keys(value).filter(key => typeof value[key] === 'function').map(key => `${name}.${key}`))
    }
  }
  return names
}

// The name and the version of the package that is at this place, or above it.
function packageAt(place) {
  for (let folder = place; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8'))
      return name && version ? { [name]: String(version) } : {}
    }
    if (folder === dirname(folder)) return {}
  }
}

// The exported function, and the versions of what it runs on; throws where there is no such function.
export async function load(folder, name, exported) {
  const module = await imported(folder, name)
  const value = exportedBy(module, exported)
  if (typeof value !== 'function') {
    const is = value === undefined ? 'there is no such export' : `it is of type ${typeof value}`
    const names = functionsOf(module)
    const few = names.filter(each => /assigner/i.test(each)).slice(0, 8)
    const others = few.length ? few.join(', ') : `${names.length} functions, none with "assigner" in its name`
    throw new Unfit(`${exported}: ${is}; there are ${others}`)
  }
  const place = isAbsolute(name) ? dirname(name) : join(folder, 'node_modules', name)
  return { value, versions: { node: process.versions.node, ...packageAt(place) } }
}
