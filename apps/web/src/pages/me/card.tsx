import { useEffect, useState } from 'preact/hooks'
import { type Card, makeCard } from '../../api/card-picture.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { Icon } from '../../parts/icon.tsx'
import { NotSent } from '../../parts/outcome.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'
import { type Shared, shareCard } from '../card/share.ts'

/** My card, by its public address, made on request. */
export function ShareCard({ person: { userId } }: { person: Person }) {
  const { me } = useMeTexts()
  const [card, setCard] = useState<(Card & { address: string }) | null>(null)
  const [shared, setShared] = useState<Shared | null>(null)
  useEffect(() => () => (card === null ? undefined : URL.revokeObjectURL(card.address)), [card])
  const { outcome, sending, submit } = useSending<unknown>(async () => {
    const made = await makeCard(userId)
    if (made.ok) setCard({ ...made.data, address: URL.createObjectURL(made.data.picture) })
    return made
  })
  if (card === null)
    return (
      <section>
        <h2>{me.cardTitle}</h2>
        <button type="button" class="button" disabled={sending} onClick={() => void submit()}>
          <Icon name="share" /> {sending ? me.cardMaking : me.cardMake}
        </button>
        <NotSent outcome={outcome} />
      </section>
    )
  const { path, picture, address } = card
  const share = async () => {
    const how = await shareCard({ title: document.title, path, picture: `${path}.png` })
    // Where nothing can be shared, the picture is saved and the link is copied.
    if (how === 'copied' || how === 'failed') saveFile(picture, 'card.png')
    setShared(how)
  }
  return (
    <section>
      <h2>{me.cardTitle}</h2>
      <img class="own-card" src={address} width={1200} height={630} alt={me.cardAlt} />
      <div class="steps">
        <button type="button" class="button button-main" onClick={() => void share()}>
          <Icon name="share" /> {me.cardShare}
        </button>
        <button type="button" class="button" onClick={() => saveFile(picture, 'card.png')}>
          {me.cardSave}
        </button>
      </div>
      <p role="status" class="small">
        {shared === 'copied' ? me.cardCopied : shared === 'failed' ? me.cardSaved : ''}
      </p>
      <a href={path} class="card-link">
        {me.cardOpen}
      </a>
    </section>
  )
}
