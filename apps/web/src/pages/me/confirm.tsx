import type { ComponentProps } from 'preact'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { Confirm as Ask } from '../../parts/confirm.tsx'

/** `Confirm` with the words of `/me` for "no". */
export function Confirm(props: Omit<ComponentProps<typeof Ask>, 'no'>) {
  const { me } = useMeTexts()
  return <Ask {...props} no={me.no} />
}
