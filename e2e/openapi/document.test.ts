import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Content, type Described, operationsOf } from './openapi.ts'
import { isDescribed, isVague, placesIn, undescribed } from './schemas.ts'

const BRAND = 'baishatun'
let stack: ThrowawayStack
let text: string
let operations: Described[]

beforeAll(async () => {
  stack = await startThrowawayStack({ EVENT_BRAND: BRAND })
  const { url, caFile } = stack.running()
  const answer = await fetch(`${url}/openapi.json`, { tls: { ca: readFileSync(caFile, 'utf8') } })
  text = await answer.text()
  operations = operationsOf(JSON.parse(text))
})
afterAll(() => stack.close())

/** Every schema of the document with its path. */
function* schemas() {
  for (const { path, method, operation } of operations) {
    const at = `${method} ${path}`
    for (const { name, schema } of operation.parameters ?? []) yield { at: `${at} ?${name}`, schema }
    const contents: [string, Content | undefined][] = [
      ['body', operation.requestBody?.content],
      ...Object.entries(operation.responses).map(([status, { content }]): [string, Content | undefined] => [
        status,
        content,
      ]),
    ]
    for (const [what, content] of contents)
      for (const [type, media] of Object.entries(content ?? {}))
        yield { at: `${at} ${what} ${type}`, schema: media.schema }
  }
}

test('the document is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true })
})

/** Fields named by others: the details of audit entries, and the platform's own events. */
const OPEN = [
  '/admin/timeline 200 application/json.data.events[].detail{}',
  '/admin/audit 200 application/json.data.items[].detail{}',
  '/webhook body application/json.events[]{}',
]

test('every field is described, and no schema accepts everything', () => {
  const problems: string[] = []
  for (const { at, schema } of schemas()) {
    if (schema === undefined) problems.push(`${at} has no schema`)
    for (const place of placesIn(schema, at)) {
      if (isVague(place.schema) && !OPEN.some((open) => place.at.endsWith(open)))
        problems.push(`${place.at} lets everything through`)
      if (place.isProperty && !isDescribed(place.schema)) problems.push(`${place.at} is not described`)
    }
  }
  for (const { path, method, operation } of operations)
    for (const { name, description } of operation.parameters ?? [])
      if (!description) problems.push(`${method} ${path} ?${name} is not described`)
  expect(problems).toEqual([])
})

test('every example fits its own schema, and every JSON body and success has one', () => {
  const problems: string[] = []
  const check = (what: string, content: Content | undefined) => {
    for (const [type, { schema, example }] of Object.entries(content ?? {})) {
      if (example === undefined && type !== 'application/json') continue
      const wrong = example === undefined ? 'there is none' : undescribed(example, schema)
      if (wrong) problems.push(`the example of ${what}: ${wrong}`)
    }
  }
  for (const { path, method, operation } of operations) {
    check(`the request of ${method} ${path}`, operation.requestBody?.content)
    for (const [status, { content }] of Object.entries(operation.responses))
      check(`${status} of ${method} ${path}`, content)
  }
  expect(problems).toEqual([])
})

test('every operation lists its errors with their schema, and Retry-After where it applies', () => {
  for (const { path, method, operation } of operations) {
    const statuses = Object.keys(operation.responses)
    const expected = ['400', '403', '405', '500']
    if (path.startsWith('/api/')) expected.push('502', '503', '504')
    if (method !== 'get' && path.startsWith('/api/')) expected.push('413')
    expect([method, path, expected.filter((status) => !statuses.includes(status))]).toEqual([
      method,
      path,
      [],
    ])
    for (const [status, { headers = {}, content = {} }] of Object.entries(operation.responses)) {
      expect(headers).toHaveProperty('X-Request-Id')
      if (Number(status) < 400 || path === '/ready') continue
      expect(Object.keys(content)).toEqual(['application/json'])
      if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After')
    }
  }
})

test('under another brand the document does not mention the default one', () => {
  expect(operations.filter(({ path }) => path.startsWith(`/api/${BRAND}/`)).length).toBeGreaterThan(30)
  expect(text).not.toContain('/api/event')
})
