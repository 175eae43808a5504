import type { Parameter } from '@palanquin/db/client'

/** A statement that is put together: its parameters in the order of their numbers. */
export class Statement {
  readonly parameters: Parameter[] = []

  /** `$n` for a value; the same value has one number. */
  parameter(value: Parameter): string {
    const known = this.parameters.indexOf(value)
    return `$${known >= 0 ? known + 1 : this.parameters.push(value)}`
  }
}
