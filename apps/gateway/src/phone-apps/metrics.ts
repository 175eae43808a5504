import { DEVICE_OUTCOMES, type DeviceReceipt } from '@palanquin/domain/device-delivery'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { counter, type Metrics } from '@palanquin/service/metrics'

export type PhoneAppMetrics = { count: (app: PhoneApp, counts: DeviceReceipt['counts']) => void }

/** What became of the points of each app: nothing else shows what was dropped. */
export function phoneAppMetrics(registry: Metrics): PhoneAppMetrics {
  const points = counter(registry, {
    name: 'palanquin_in_points_total',
    help: 'points that apps on phones sent, by app and by what became of them',
    labels: { app: PHONE_APPS, outcome: DEVICE_OUTCOMES },
  })
  return {
    count: (app, counts) => {
      for (const outcome of DEVICE_OUTCOMES) {
        const count = counts[outcome] ?? 0
        if (count > 0) points.inc({ app, outcome }, count)
      }
    },
  }
}
