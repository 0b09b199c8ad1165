/** The end of what is retained: one's own message comes back, and no retained one on the way (some brokers mix them). */
export async function untilQuiet(echo: () => Promise<void>, retained: () => number): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = retained();
    await echo();
    if (retained() === before) return;
  }
}

const MOST_ROUNDS = 20;
