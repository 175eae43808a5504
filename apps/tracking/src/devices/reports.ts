import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { DeviceReport, saveReports } from './reports-store.ts'

const SAVE_EVERY_MS = 1_000
const ROWS_PER_STATEMENT = 500
/** Kept while PostgreSQL is away; of more devices the latest state is lost until they send again. */
const DEVICES_MAX = 50_000

/** Notes what devices send, and saves it in turns: a row for each request would cost more than its points. */
export function deviceReports({ save, log }: { save: ReturnType<typeof saveReports>; log: Log }) {
  let waiting = new Map<string, DeviceReport>()
  let timer: ReturnType<typeof setInterval> | undefined
  let saving: Promise<void> | undefined

  const saveAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const rows = [...waiting.values()].slice(0, ROWS_PER_STATEMENT)
      for (const { deviceId } of rows) waiting.delete(deviceId)
      try {
        await save(rows)
      } catch (error) {
        // What came meanwhile is newer.
        for (const row of rows) waiting.set(row.deviceId, merged(row, waiting.get(row.deviceId)))
        if (!(error instanceof StoreUnavailable)) throw error
        return
      }
    }
  }

  const saveNow = async (): Promise<void> => {
    saving ??= saveAll()
      .catch((error: unknown) =>
        log.error({ event: 'devices.report_failed', err: error }, 'What devices sent could not be noted'),
      )
      .finally(() => {
        saving = undefined
      })
    await saving
  }

  return {
    note: (report: DeviceReport): void => {
      const before = waiting.get(report.deviceId)
      if (!before && waiting.size >= DEVICES_MAX) return
      waiting.set(report.deviceId, before ? merged(before, report) : report)
    },
    /** The participant was erased: nothing of what waits is saved. */
    erased: (isErased: (userId: string) => boolean): void => {
      waiting = new Map([...waiting].filter(([, { userId }]) => !isErased(userId)))
    },
    saveNow,
    name: 'reports of devices',
    start: (): void => {
      timer = setInterval(() => void saveNow(), SAVE_EVERY_MS)
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await saveNow()
    },
  }
}

export type DeviceReports = ReturnType<typeof deviceReports>

/** The later of two reports of a device, with what only the earlier one says. */
function merged(before: DeviceReport, after: DeviceReport | undefined): DeviceReport {
  if (!after) return before
  const lastPointAt = Math.max(before.lastPointAt ?? 0, after.lastPointAt ?? 0)
  return {
    ...before,
    ...after,
    stored: before.stored + after.stored,
    ...(lastPointAt > 0 ? { lastPointAt } : {}),
  }
}
