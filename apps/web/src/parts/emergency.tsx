import { useTexts } from './context.ts'

/** Whom to call first, by one tap. */
export function EmergencyCalls() {
  const { texts } = useTexts()
  return (
    <ul class="calls">
      <li>
        <a class="button button-main" href="tel:119">
          {texts.call119}
        </a>
        <p>{texts.call119Hint}</p>
      </li>
      <li>
        <a class="button button-main" href="tel:110">
          {texts.call110}
        </a>
        <p>{texts.call110Hint}</p>
      </li>
    </ul>
  )
}
