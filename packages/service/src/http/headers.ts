/** Headers between the gateway and the services. The gateway strips them from what a client sends. */
export const INTERNAL_TOKEN_HEADER = 'x-internal-token'
export const REQUEST_ID_HEADER = 'x-request-id'
/** 0 no token, 1 volunteer, 2 manager, 3 owner. */
export const TIER_HEADER = 'x-internal-tier'
/** The client's address as the gateway knows it. */
export const CLIENT_HEADER = 'x-internal-client'
/** The host that the client called, with its port; one of `PUBLIC_HOSTS`. */
export const HOST_HEADER = 'x-internal-host'
/** The `userId` that the caller has proven to be; not there for anybody else. */
export const USER_HEADER = 'x-internal-user'
/** The `userId` of an administrator who is signed in as a person; not there with an admin token. */
export const ACTOR_HEADER = 'x-internal-actor'

/** When it was first received (epoch ms): the time of a point that has none, and of its erasure check. */
export const ARRIVED_HEADER = 'x-internal-arrived-at'

/** The caller as the gateway vouches for it. */
export type Caller = { requestId: string; tier: 0 | 1 | 2 | 3; client: string }

/** Undefined where the gateway did not say it. */
export function arrivedAtOf(headers: Headers): number | undefined {
  const epochMs = headers.get(ARRIVED_HEADER)
  return epochMs !== null && /^\d{13}$/.test(epochMs) ? Number(epochMs) : undefined
}

/** When the gateway or the chat received a call (epoch ms); now for one that began here. */
export const receivedAtOf = (headers: Headers): number =>
  Math.min(arrivedAtOf(headers) ?? Date.now(), Date.now())

/** Who the audit names: the person who is signed in, or else the role of the token. */
export const actorOf = (headers: Headers, role: string): string => headers.get(ACTOR_HEADER) ?? role

/** What the gateway says of the caller; a direct internal call has tier 0. */
export function callerOf(headers: Headers): Caller {
  const tier = Number(headers.get(TIER_HEADER) ?? 0)
  return {
    requestId: headers.get(REQUEST_ID_HEADER) ?? '-',
    tier: tier === 1 || tier === 2 || tier === 3 ? tier : 0,
    client: headers.get(CLIENT_HEADER) ?? '-',
  }
}
