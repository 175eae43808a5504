import { expect, describe as group, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { TOKENS } from '../../test/gateway.ts'
import { standard } from '../../test/service-stub.ts'
import { useGateway } from '../../test/use-gateway.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes.ts'

type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: { name: string; in: string; required?: boolean; schema: unknown }[]
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, { description: string }>
  security: Record<string, unknown>[]
  'x-tier'?: number
}
type Document = {
  openapi: string
  info: Record<string, unknown>
  servers: unknown[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, unknown> }
}

/** It waits for every service, however late it answers, since a document without its part is another. */
const PATIENT = { statusDeadlineMs: TEST_TIMEOUT_MS }
const deployment = useGateway(PATIENT)

const read = async () => JSON.parse(await (await deployment.gateway.call('/openapi.json')).text()) as Document
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

const pathOf = ({ path, atRoot }: Route): string => (atRoot ? path : `/api/event${path}`)

group('/openapi.json', () => {
  test('has every row of the table, and the paths of the gateway itself', async () => {
    const { paths } = await read()
    for (const route of ROUTES) expect(paths[pathOf(route)]).toHaveProperty(route.method.toLowerCase())
    for (const path of ['/health', '/ready', '/openapi.json']) expect(paths[path]).toHaveProperty('get')
  })

  test('is valid OpenAPI 3.1', async () => {
    const document = await read()
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: expect.any(String), version: '1.0.0' })
    expect(document.servers).toHaveLength(1)
    const operations = operationsOf(document)
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { path, operation } of operations) {
      for (const tag of operation.tags) expect(tags).toContain(tag)
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(document.components.securitySchemes).toHaveProperty(scheme)
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0)
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('')
      const inPath =
        operation.parameters?.filter((parameter) => parameter.in === 'path').map(({ name }) => name) ?? []
      expect(inPath.sort()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort())
    }
  })

  test('lists the gateway’s errors', async () => {
    const { paths } = await read()
    for (const route of ROUTES) {
      const { responses, security, description } = paths[pathOf(route)]?.[route.method.toLowerCase()] ?? {
        responses: {},
        security: [],
        description: '',
      }
      if (route.token !== 'none')
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']))
      if (route.tier > 0) expect(security[0]).toEqual({ AdminToken: [] })
      if (route.limits.length > 0) expect(responses).toHaveProperty('429')
      if (route.body !== 'none')
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '413']))
      if (route.tier > 0) expect(description).toContain(`Needs tier ${route.tier}`)
    }
  })

  test('an address in an example has the prefix of the brand', async () => {
    const example = { url: '/api/event/og/U1.png' }
    const content = { 'application/json': { schema: { type: 'object' }, example } }
    const part = {
      paths: { '/survey': { get: { summary: 's', responses: { 200: { description: 'd', content } } } } },
    }
    deployment.services.engagement.replyWith((request) =>
      new URL(request.url).pathname === '/internal/openapi' ? Response.json(part) : standard(request),
    )
    const { owner, manager, volunteer } = TOKENS
    const branded = await deployment.addGateway({
      ...PATIENT,
      env: {
        EVENT_BRAND: 'baishatun',
        BAISHATUN_ADMIN_TOKEN: owner,
        BAISHATUN_MANAGER_TOKEN: manager,
        BAISHATUN_VOLUNTEER_TOKEN: volunteer,
      },
    })
    const text = await (await branded.call('/openapi.json')).text()
    expect(text).toContain('/api/baishatun/og/U1.png')
    expect(text).not.toContain('/api/event')
  })

  test('gives the tier of each route with a token to programs', async () => {
    const { paths } = await read()
    for (const route of ROUTES)
      expect(paths[pathOf(route)]?.[route.method.toLowerCase()]?.['x-tier']).toBe(
        ['none', 'feedback-token'].includes(route.token) ? undefined : route.tier,
      )
  })

  test('uses the description of a service, whatever the names of its parameters, without typebox’s notes', async () => {
    const part = {
      paths: {
        '/user/{id}': {
          get: {
            summary: 'in the words of engagement',
            parameters: [{ name: 'id', in: 'path', required: true, schema: {} }],
            responses: {
              200: {
                description: 'the profile',
                content: { 'application/json': { schema: { '~kind': 'Object', type: 'object' } } },
              },
            },
          },
        },
      },
    }
    deployment.services.engagement.replyWith((request) =>
      new URL(request.url).pathname === '/internal/openapi' ? Response.json(part) : standard(request),
    )
    const other = await deployment.addGateway(PATIENT)
    const text = await (await other.call('/openapi.json')).text()
    const operation = (JSON.parse(text) as Document).paths['/api/event/user/{userId}']?.get
    expect(operation).toMatchObject({
      summary: 'in the words of engagement',
      parameters: [{ name: 'userId', in: 'path' }, { $ref: '#/components/parameters/RequestId' }],
    })
    expect(operation?.responses).toHaveProperty('200.description', 'the profile')
    expect(text).not.toContain('~kind')
    await deployment.services.engagement.kill()
    expect(await (await other.call('/openapi.json')).text()).toBe(text)
    deployment.services.engagement.restart()
  })
})

group('/docs', () => {
  test('is a page whose every file is local', async () => {
    const page = await deployment.gateway.call('/docs')
    const html = await page.text()
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link)
    expect(links.length).toBe(4)
    for (const link of links) {
      expect(link).toStartWith('/docs/')
      const file = await deployment.gateway.call(link)
      expect([link, file.status, (await file.arrayBuffer()).byteLength > 50]).toEqual([link, 200, true])
      expect(file.headers.get('content-type')).toMatch(/javascript|css|png/)
    }
    expect(html).not.toMatch(/https?:\/\//)
  })
})

group('compression', () => {
  test.each(['/openapi.json', '/docs/swagger-ui-bundle.js'])(
    '%s comes compressed, with an ETag',
    async (path) => {
      const of = (headers: Record<string, string>, method = 'GET') =>
        deployment.gateway.call(path, { method, headers, decompress: false })
      const plain = await of({ 'accept-encoding': 'identity' })
      const bytes = (await plain.arrayBuffer()).byteLength
      for (const encoding of ['br', 'gzip']) {
        const answer = await of({ 'accept-encoding': encoding })
        expect(answer.headers.get('content-encoding')).toBe(encoding)
        expect(answer.headers.get('vary')).toContain('accept-encoding')
        expect((await answer.arrayBuffer()).byteLength).toBeLessThan(bytes / 3)
        const etag = answer.headers.get('etag') ?? ''
        const unchanged = await of({ 'accept-encoding': encoding, 'if-none-match': etag })
        expect([unchanged.status, (await unchanged.arrayBuffer()).byteLength]).toEqual([304, 0])
        const head = await of({ 'accept-encoding': encoding }, 'HEAD')
        for (const name of ['content-length', 'content-encoding', 'etag', 'vary'])
          expect([name, head.headers.get(name)]).toEqual([name, answer.headers.get(name)])
      }
    },
  )
})
