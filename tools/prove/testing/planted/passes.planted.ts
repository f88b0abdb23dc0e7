it('passes, with an assertion (R-1-1)', () => {
  expect(2).toBe(2);
});

it('passes, without any (T-01)', () => undefined);

(process.env['PLANTED'] ? it : it.skip)('is skipped (not run: nothing was planted) (A-01)', () => undefined);
