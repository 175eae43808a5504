import { collectDefaultMetrics, Registry } from 'prom-client'

/** One registry a process, with the runtime's own figures; rooms add their counters to it. */
export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}

export type Metrics = Registry
