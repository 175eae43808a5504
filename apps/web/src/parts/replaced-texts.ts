import { type ComponentChildren, h, options, type VNode } from 'preact'

/** Elements in which no other element may stand. */
const TEXT_ONLY: readonly unknown[] = ['option', 'textarea', 'title', 'text']

const wrapped = (child: ComponentChildren): ComponentChildren => {
  if (Array.isArray(child)) return child.map(wrapped)
  if ((typeof child !== 'string' && typeof child !== 'number') || String(child).trim() === '') return child
  return h('span', { key: String(child) }, String(child))
}

const wrapTexts = ({ type, key, props }: VNode): void => {
  if (typeof type !== 'string' || TEXT_ONLY.includes(type) || props.children === key) return
  props.children = wrapped(props.children)
}

/** A changed text becomes a new element: a browser's translation moves text nodes out of the page. */
export function replaceTexts(): void {
  options.vnode = wrapTexts
}
