import { type ServiceClient, serviceClient } from '@palanquin/service/service-client'
import type { Priority, ServiceName } from '../route.ts'
import type { Service } from './service.ts'

export type ServiceClients = Readonly<Record<ServiceName, ServiceClient>>

/**
 * The client for requests of the gateway's own, through the bounds and copies of its service, each with its own deadline.
 * They may be repeated; they wait for a service that restarts only where a client waits for them.
 */
export const clientOf = ({
  name,
  service,
  internalToken,
  waitForRestart = false,
  priority = 'critical',
}: {
  name: ServiceName
  service: Pick<Service, 'call'>
  internalToken: string
  waitForRestart?: boolean
  priority?: Priority
}): ServiceClient => {
  const within = (deadlineMs: number) =>
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
  return {
    call: (call) => within(call.deadlineMs).call(call),
    callBytes: (call) => within(call.deadlineMs).callBytes(call),
    callStream: (call) => within(call.deadlineMs).callStream(call),
  }
}

/** A client of each service. */
export const clientsOf = (
  services: Readonly<Record<ServiceName, Service>>,
  { internalToken }: { internalToken: string },
): ServiceClients => {
  const client = (name: ServiceName) => clientOf({ name, service: services[name], internalToken })
  return {
    tracking: client('tracking'),
    map: client('map'),
    engagement: client('engagement'),
    media: client('media'),
    lineBot: client('lineBot'),
  }
}
