import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Scrolls to and focuses what takes the place of a button that is gone; it needs `tabIndex={-1}`. */
export function useComesIntoView<E extends HTMLElement>(isNew = true): RefObject<E | null> {
  const element = useRef<E>(null)
  useEffect(() => {
    if (isNew && document.activeElement === document.body && scrollY > 0) element.current?.focus()
  }, [isNew])
  return element
}
