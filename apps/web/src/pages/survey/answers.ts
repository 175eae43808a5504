/** An answer as the API takes it: choices, one choice or a text, kilometres by mode, a whole number. */
export type Answer = string | string[] | number | Record<string, number>
export type Answers = Record<string, Answer>

/** Whether an answer says something. "None of these" is said by leaving a question that may be left. */
export function isAnswered(answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  if (typeof answer === 'number') return true
  if (typeof answer === 'string') return answer.trim() !== ''
  return Array.isArray(answer) ? answer.length > 0 : Object.keys(answer).length > 0
}
