import type { ComponentChildren, RefObject } from 'preact'
import { useTexts } from './context.ts'
import { Icon } from './icon.tsx'

/** Where a map is drawn, with its buttons. @param map null until its chunk has come */
export function MapFrame({
  holder,
  map,
  label,
  showAllLabel,
  children,
}: {
  holder: RefObject<HTMLDivElement | null>
  map: { zoomBy: (steps: number) => void; showAll: () => void } | null
  label: string
  showAllLabel: string
  children?: ComponentChildren
}) {
  const { texts } = useTexts()
  return (
    <div class="map-frame">
      <div class="map" ref={holder} role="application" aria-label={label}>
        {map === null && <p class="map-loading">{texts.mapLoading}</p>}
      </div>
      {children}
      <div class="map-buttons">
        <button type="button" class="round" aria-label={texts.zoomIn} onClick={() => map?.zoomBy(1)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="round" aria-label={texts.zoomOut} onClick={() => map?.zoomBy(-1)}>
          <Icon name="minus" />
        </button>
        <button type="button" class="round" aria-label={showAllLabel} onClick={() => map?.showAll()}>
          <Icon name="route" />
        </button>
      </div>
    </div>
  )
}

export type TabName = 'map' | 'text'

/** One of the two tabs; the arrow keys go to the other. */
export function Tab({
  id,
  tab,
  setTab,
  label,
}: {
  id: TabName
  tab: TabName
  setTab: (tab: TabName) => void
  label: string
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = id === 'map' ? 'text' : 'map'
    setTab(other)
    document.getElementById(`tab-${other}`)?.focus()
  }
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${id}`}
      aria-controls={`panel-${id}`}
      aria-selected={tab === id}
      tabIndex={tab === id ? 0 : -1}
      class="tab"
      onClick={() => setTab(id)}
      onKeyDown={onKeyDown}
    >
      {label}
    </button>
  )
}
