/** How often a test repeats a fault whose moment is left to chance: `few` in CI. */
export const rounds = (few: number): number => few * Math.max(1, Number(process.env.TEST_FAULT_ROUNDS ?? 1))
