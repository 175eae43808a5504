import type { Parameter } from '@palanquin/db/client'

/** Collects the parameters of a composed statement. */
export class Statement {
  readonly parameters: Parameter[] = []

  /** Returns `$n` for a value; equal values share a number. */
  parameter(value: Parameter): string {
    const known = this.parameters.indexOf(value)
    return `$${known >= 0 ? known + 1 : this.parameters.push(value)}`
  }
}
