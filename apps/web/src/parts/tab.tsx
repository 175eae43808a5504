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
