import { expect, test } from 'bun:test'
import { mutualImports } from './folders.ts'
import { readSources } from './sources.ts'

/** Pairs that are left from before this lint: a line goes with its pair. */
const EXCEPTIONS = new Set([
  'apps/gateway/src: auth, middleware',
  'apps/gateway/src: auth, proxy',
  'apps/gateway/src: auth, sessions',
  'apps/gateway/src: middleware, prebuilt',
  'apps/gateway/src: proxy, proxy/exchange',
  'apps/gateway/src: proxy, readers',
  'apps/gateway/src: rate-limit, rate-limit/gateways',
  'apps/tracking/src: erasure, flush',
  'apps/tracking/src: flush, flush/rebuild',
  'apps/tracking/src: flush, linked',
  'apps/tracking/src: flush, packed',
  'apps/tracking/src: live, live/event-streams',
  'apps/tracking/src: live, live/positions',
  'apps/tracking/src: live, live/responses',
  'tools/stack/src: certificate, settings',
  'tools/stack/src: run-state, settings',
  'tools/stack/src: run-state, units',
  'tools/stack/src: settings, units',
])

test('folders that import each other are reported once, types and nested folders included', () => {
  const sources = [
    { file: 'apps/web/src/api/send.ts', text: `import type { Entry } from '../outbox/entry.ts'` },
    { file: 'apps/web/src/outbox/post.ts', text: `import {\n  send,\n} from '../api/send.ts'` },
    { file: 'apps/web/src/map/style.ts', text: `export const later = () => import('./layers/layers.ts')` },
    { file: 'apps/web/src/map/layers/layers.ts', text: `export * from '../style.ts'` },
  ]
  expect(mutualImports(sources)).toEqual(['apps/web/src: api, outbox', 'apps/web/src: map, map/layers'])
})

test('one way, within a folder, and by the folder of the package itself are allowed', () => {
  const sources = [
    { file: 'apps/web/src/app.ts', text: `import { send } from './api/send.ts'` },
    { file: 'apps/web/src/api/send.ts', text: `import { app } from '../app.ts'; import './base.ts'` },
    { file: 'apps/web/src/api/base.ts', text: `import { post } from '../outbox/post.ts'` },
    { file: 'apps/media/src/outbox/post.ts', text: `import { send } from '../api/send.ts'` },
  ]
  expect(mutualImports(sources)).toEqual([])
})

test('no two folders of one package import each other', () => {
  expect(mutualImports(readSources()).filter((pair) => !EXCEPTIONS.has(pair))).toEqual([])
})
