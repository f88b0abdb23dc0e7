import { idOf } from './id';

describe('an id in a path, a query or a search field', () => {
  it('is a positive integer, up to the largest that a number holds exactly', () => {
    expect(['1', '1001', '9007199254740991'].map(idOf)).toEqual([1, 1001, 9_007_199_254_740_991]);
  });

  it('is not anything else', () => {
    const others = ['', '0', '-1', '+1', '01', '1.0', '1e3', ' 1', '1 ', '1\n', 'x', '9007199254740992', '10000000000000000'];
    expect(others.map(idOf).filter(id => id !== undefined)).toEqual([]);
  });
});
