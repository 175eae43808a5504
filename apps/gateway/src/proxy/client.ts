import { type ServiceClient, serviceClient } from '@palanquin/service/service-client'
import type { Priority, ServiceName } from '../route.ts'
import type { Service } from './service.ts'

export type ServiceClients = Readonly<Record<ServiceName, ServiceClient>>

/**
 * The client for requests of the gateway's own, through the bounds and copies of its service. They may be repeated; they
 * wait for a service that restarts only where a client waits for them.
 */
export const clientOf = ({
  name,
  service,
  internalToken,
  deadlineMs,
  waitForRestart = false,
  priority = 'critical',
}: {
  name: ServiceName
  service: Pick<Service, 'call'>
  internalToken: string
  deadlineMs: number
  waitForRestart?: boolean
  priority?: Priority
}): ServiceClient =>
  serviceClient({
    name,
    internalToken,
    to: async (target, { method = 'GET', headers, body }) => {
      const call = {
        method,
        target,
        headers: Object.fromEntries(new Headers(headers)),
        body: typeof body === 'string' ? body : undefined,
      }
      const options = { deadlineMs, repeatable: true, waitForRestart, priority }
      const outcome = await service.call(call, options)
      if (typeof outcome === 'string') throw new Error(outcome)
      return new Response(outcome.body, { status: outcome.status, headers: outcome.headers })
    },
  })

/** A client of each service. */
export const clientsOf = (
  services: Readonly<Record<ServiceName, Service>>,
  { internalToken, deadlineMs }: { internalToken: string; deadlineMs: number },
): ServiceClients => {
  const client = (name: ServiceName) => clientOf({ name, service: services[name], internalToken, deadlineMs })
  return {
    tracking: client('tracking'),
    map: client('map'),
    engagement: client('engagement'),
    media: client('media'),
    lineBot: client('lineBot'),
  }
}
