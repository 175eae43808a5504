import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * Brings into view, wherever the page was scrolled to, what says what became of an act whose button is gone, and gives it the
 * focus that went with that button. The element needs `tabIndex={-1}`.
 * @param isNew whether it has just come
 */
export function useComesIntoView<E extends HTMLElement>(isNew = true): RefObject<E | null> {
  const element = useRef<E>(null)
  useEffect(() => {
    if (isNew && document.activeElement === document.body && scrollY > 0) element.current?.focus()
  }, [isNew])
  return element
}
