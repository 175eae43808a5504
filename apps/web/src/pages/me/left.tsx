import { useMeTexts } from '../../i18n/me/texts.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'

/** How somebody left this page a moment ago. */
export type Left = 'signed-out' | 'signed-out-everywhere' | 'erased'

export function HasLeft({ how }: { how: Left }) {
  const { me } = useMeTexts()
  const paragraph = useComesIntoView<HTMLParagraphElement>()
  const sentences = {
    'signed-out': me.signedOut,
    'signed-out-everywhere': me.signedOutAll,
    erased: me.erased,
  }
  return (
    <p ref={paragraph} class="banner banner-done" role="status" tabIndex={-1}>
      {sentences[how]}
    </p>
  )
}
