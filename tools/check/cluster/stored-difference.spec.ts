import { storedDifference } from './stored-difference';

describe('what a server stored, beside what it was sent', () => {
  it('may have more, and the same amounts in other words', () => {
    const sent = { spec: { memory: '1024Mi', cpu: '0.5', list: [{ a: 1 }], none: [], empty: '' } };
    expect(storedDifference(sent, { spec: { memory: '1Gi', cpu: '500m', list: [{ a: 1, b: 2 }], added: true } })).toEqual([]);
  });

  it('has neither lost, changed nor doubled anything', () => {
    expect(storedDifference({ a: { b: 1 } }, { a: {} })).toEqual(['.a.b: sent 1, stored undefined']);
    expect(storedDifference({ a: { b: 1 } }, {})).toEqual(['.a.b: sent 1, stored undefined']);
    expect(storedDifference({ a: ['x', 'y'] }, { a: ['x', 'z'] })).toEqual(['.a[1]: sent "y", stored "z"']);
    expect(storedDifference({ a: ['x'] }, { a: ['x', 'x'] })).toHaveLength(1);
    expect(storedDifference({ a: '1Gi' }, { a: '1G' })).toHaveLength(1);
    expect(storedDifference({ a: false }, {})).toHaveLength(1);
  });
});
