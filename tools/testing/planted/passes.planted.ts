it('R-1-1: passes, with an assertion', () => {
  expect(2).toBe(2);
});

it('T-01: passes, without any', () => undefined);

(process.env['PLANTED'] ? it : it.skip)('A-01: is skipped (not run: nothing was planted)', () => undefined);
