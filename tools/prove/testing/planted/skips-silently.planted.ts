it('passes', () => {
  expect(1).toBe(1);
});

(process.env['PLANTED'] ? it : it.skip)('is skipped, and does not say why', () => undefined);
