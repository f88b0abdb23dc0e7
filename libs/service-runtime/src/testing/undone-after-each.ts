/**
 * For what a single test begins: the returned function takes how to end it, at once after it began. After each test everything is ended, last
 * first, also when the test failed, and also when an earlier end failed. Called where `afterEach` may be.
 */
export function undoneAfterEach(): (undo: () => unknown) => void {
  const undos: (() => unknown)[] = [];
  afterEach(async () => {
    const failures: unknown[] = [];
    for (const undo of undos.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `not ended after the test: ${failures.join('; ')}`);
  });
  return undo => void undos.push(undo);
}
