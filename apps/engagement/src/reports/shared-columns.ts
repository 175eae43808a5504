import type { Carbon } from '@palanquin/domain/carbon'
import { isoInZone } from '@palanquin/domain/time'
import type { Column } from '@palanquin/service/http/csv'

const FIGURES = [
  ...(['travelKg', 'trackedKg', 'waterKg', 'recycleKg'] as const),
  ...(['hotelKg', 'totalKg', 'avoidedKg'] as const),
] as const

/** A column for each figure of a footprint, in kg of CO2e. */
export const carbonColumns = <Row>(
  carbonOf: (row: Row) => Pick<Carbon, (typeof FIGURES)[number]>,
): readonly Column<Row>[] => FIGURES.map((name) => ({ name, value: (row) => carbonOf(row)[name] }))

/** Writes times (ISO 8601) with the offset of a zone; an empty cell where there is none. */
export function timeCells(timeZone: string): (iso: string | null | undefined) => string | null {
  const format = isoInZone(timeZone)
  return (iso) => (iso ? format(Date.parse(iso)) : null)
}
