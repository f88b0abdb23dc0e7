import { storedDifference } from './stored-difference';

describe('the difference between a stored object and the sent one', () => {
  it('allows further fields, and the same amounts in another notation', () => {
    const sent = { spec: { memory: '1024Mi', cpu: '0.5', list: [{ a: 1 }], none: [], empty: '' } };
    expect(storedDifference(sent, { spec: { memory: '1Gi', cpu: '500m', list: [{ a: 1, b: 2 }], added: true } })).toEqual([]);
  });

  it('reports a lost, changed or doubled field', () => {
    expect(storedDifference({ a: { b: 1 } }, { a: {} })).toEqual(['.a.b: sent 1, stored undefined']);
    expect(storedDifference({ a: { b: 1 } }, {})).toEqual(['.a.b: sent 1, stored undefined']);
    expect(storedDifference({ a: ['x', 'y'] }, { a: ['x', 'z'] })).toEqual(['.a[1]: sent "y", stored "z"']);
    expect(storedDifference({ a: ['x'] }, { a: ['x', 'x'] })).toHaveLength(1);
    expect(storedDifference({ a: '1Gi' }, { a: '1G' })).toHaveLength(1);
    expect(storedDifference({ a: false }, {})).toHaveLength(1);
  });
});
