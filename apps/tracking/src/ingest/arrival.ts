/** Longer than the gateway sends a call again; clocks kept by NTP differ by less than two seconds. */
const ARRIVED_AGO_MS = { min: -2_000, max: 30_000 }

/** When a call was received (epoch ms): the gateway's time of it, unless a clock is wrong, and never later than now. */
export const arrivalOf = (arrivedAt: number | undefined, now: number): number => {
  const agoMs = now - (arrivedAt ?? now)
  return agoMs >= ARRIVED_AGO_MS.min && agoMs <= ARRIVED_AGO_MS.max ? now - agoMs : now
}
