import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import {
  type GatewayInstance,
  type GatewayOptions,
  type Services,
  startGateway,
  startServices,
} from './gateway.ts'
import { type Recorded, standard } from './service-stub.ts'

/**
 * For tests of limits over several gateways: each waits for Redis and tracking as long as they take on a busy machine,
 * where it would otherwise count by itself.
 */
export const COUNTED_TOGETHER = {
  limitsDeadlinesMs: { redis: TEST_TIMEOUT_MS, tracking: TEST_TIMEOUT_MS },
} as const satisfies GatewayOptions

/** The Redis, services and gateway of a test file; they exist once its tests run. */
export class Deployment {
  #redis: TestServer | undefined
  #services: (Services & { close: () => Promise<void> }) | undefined
  readonly #stands: GatewayInstance[] = []

  get redis(): TestServer {
    return present(this.#redis)
  }
  get services(): Services {
    return present(this.#services)
  }
  get gateway(): GatewayInstance {
    return present(this.#stands[0])
  }

  async open(options: GatewayOptions): Promise<void> {
    this.#services = startServices()
    this.#redis = await testRedis()
    await this.addGateway(options)
  }

  /** One more gateway over the same services and Redis; it is closed with the deployment. */
  async addGateway(options: GatewayOptions = {}): Promise<GatewayInstance> {
    const gateway = await startGateway({ services: this.services, redisUrl: this.redis.url, ...options })
    this.#stands.push(gateway)
    return gateway
  }

  /** The calls that all services received. */
  calls(): Recorded[] {
    const { tracking, map, engagement, media, lineBot } = this.services
    return [tracking, map, engagement, media, lineBot].flatMap((service) => service.calls)
  }

  /** The services respond normally and have received nothing. */
  reset(): void {
    const { tracking, map, engagement, media, lineBot } = this.services
    for (const service of [tracking, map, engagement, media, lineBot]) {
      service.calls.length = 0
      service.replyWith(standard)
      service.sessions.isAway = false
    }
  }

  async close(): Promise<void> {
    for (const gateway of this.#stands) await gateway.close()
    await this.#services?.close()
    await this.#redis?.close()
  }
}

function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the deployment is open once the tests run')
  return part
}

/** Opens a deployment for the tests of a file, and resets its services before each. */
export function useGateway(options: GatewayOptions = {}): Deployment {
  const deployment = new Deployment()
  beforeAll(() => deployment.open(options))
  beforeEach(() => deployment.reset())
  afterAll(() => deployment.close())
  return deployment
}
