/** Tolerant reading of foreign JSON: a value of another type counts as absent. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '')
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
