import { hostname } from 'node:os'

/** A consumer's name in its group, the same after a restart. */
export const consumerName = ({ SOCKET, PORT }: { SOCKET?: string | undefined; PORT: number }): string =>
  `${hostname()}:${SOCKET ?? (PORT || process.pid)}`
