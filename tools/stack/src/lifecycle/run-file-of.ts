import type { RunFile } from '../run-state/run-file.ts'
import type { StackFacts } from '../settings/service-environment.ts'
import type { Line } from '../units/line-stub.ts'
import type { serviceUnit } from '../units/service-unit.ts'
import { GATEWAY } from '../units/services.ts'

type ServiceUnit = ReturnType<typeof serviceUnit>

/** The content of run.json: where everything listens now. */
export function runFileOf(facts: StackFacts, line: Line, units: readonly ServiceUnit[]): RunFile {
  const { settings, secrets, objects } = facts
  const services: RunFile['services'] = {}
  let url = ''
  for (const unit of units) {
    const addresses = unit.running()?.addresses
    if (!addresses) continue
    const { pid, metricsUrl } = addresses
    services[unit.name] =
      unit.name === GATEWAY ? { pid, metricsUrl } : { pid, url: addresses.url, metricsUrl }
    if (unit.name === GATEWAY)
      url = `${settings.TRUST_PROXY ? 'http' : 'https'}://localhost:${new URL(addresses.url).port}`
  }
  return {
    url,
    caFile: settings.TLS_CERT_FILE ?? facts.certificate.caFile,
    tokens: secrets.tokens,
    databaseUrl: facts.databaseUrl,
    redisUrl: facts.redisUrl,
    s3: 'folder' in objects ? null : objects,
    objectsFolder: 'folder' in objects ? objects.folder : null,
    internalToken: secrets.internalToken,
    services,
    line: line.facts(settings),
  }
}
