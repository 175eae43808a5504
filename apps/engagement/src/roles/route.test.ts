import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('each tier gets its role, level and permissions: more than the tier below', async () => {
  const roles = [
    [1, 'volunteer'],
    [2, 'manager'],
    [3, 'owner'],
  ] as const
  let below: unknown[] = []
  for (const [tier, role] of roles) {
    const response = await service.data('/auth/role', { tier })
    expect(response).toEqual({
      role,
      level: tier,
      permissions: expect.arrayContaining([...below, expect.any(String)]),
    })
    const permissions = Array.isArray(response.permissions) ? response.permissions : []
    expect(permissions.length).toBeGreaterThan(below.length)
    below = permissions
  }
})
