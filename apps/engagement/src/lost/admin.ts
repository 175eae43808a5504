import type { LostPatch } from '@palanquin/domain/lost'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type from 'typebox'
import { readPhone } from '../participants/phone-number.ts'
import type { Administrator } from '../roles/caller.ts'
import { isCaseId, noSuchCase } from './report.ts'
import type { LostCase, LostFilter, LostStore, NewCase } from './store.ts'
import { maySeeWhole, type StaffCase, staffView } from './view.ts'

/** Newest first by `seq`, which no change moves, so later cases never shift pages that were read. */
const cursors = cursorsOf('cases, newest first', Type.Integer())

type Wanted = LostFilter & { limit: number; cursor: string | undefined }

/** A page of cases as the caller may see them; the audit notes who was shown whole phone numbers. */
export async function listCases(
  store: LostStore,
  { limit, cursor, ...filter }: Wanted,
  { role, by }: Administrator,
): Promise<Page<StaffCase> | ApiError> {
  const beforeSeq = cursors.decode(cursor)
  if (beforeSeq instanceof ApiError) return beforeSeq
  const [rows, total] = await Promise.all([
    store.page(filter, { beforeSeq, count: limit + 1 }),
    store.total(filter),
  ])
  const shown = rows.slice(0, limit).filter(({ phone }) => phone !== null)
  if (maySeeWhole(role))
    await store.noteRead(
      by,
      shown.map(({ id }) => id),
    )
  const item = (row: LostCase) => staffView(row, role)
  return pageOf(rows, { limit, total, item, cursor: ({ seq }) => cursors.encode(seq) })
}

/** An organiser's change of a case. */
export async function changeCase(
  store: LostStore,
  { id, patch }: { id: string; patch: LostPatch },
  facts: Pick<NewCase, 'receipt'> & { by: string },
): Promise<LostCase | ApiError> {
  if (!isCaseId(id)) return noSuchCase
  const { phone, ...others } = patch
  if (phone === undefined) return (await store.change(id, others, facts)) ?? noSuchCase
  const number = readPhone(phone)
  if (number instanceof ApiError) return number
  return (await store.change(id, { ...others, ...number }, facts)) ?? noSuchCase
}

/** @returns the id of what was deleted */
export async function deleteCase(
  store: LostStore,
  id: string,
  by: string,
): Promise<{ id: string } | ApiError> {
  return isCaseId(id) && (await store.delete(id, by)) ? { id } : noSuchCase
}
