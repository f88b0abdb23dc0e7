it('ends the process of the run with 0, as Node does when nothing keeps it alive (R-1-1)', () => {
  expect(2).toBe(2);
  (process as unknown as { reallyExit(code: number): never }).reallyExit(0);
});
