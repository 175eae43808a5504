/** The event of the window when a call of the person was answered 401: their session has ended. */
export const SESSION_REFUSED = 'session-refused'

/** Reports such an answer. A 401 of `/session` itself speaks of what was to begin one. */
export function reportRefused(status: number, path: string): void {
  if (status === 401 && path !== '/session') dispatchEvent(new Event(SESSION_REFUSED))
}
