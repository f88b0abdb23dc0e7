import { validateSync } from 'class-validator';
import { idOf, IsId, IsIdText } from './ids';

class Body {
  @IsId()
  id: unknown = 1;

  @IsId({ each: true })
  ids: unknown = [1];

  @IsIdText()
  text: unknown = '1';
}

const refused = (over: Partial<Body>) => validateSync(Object.assign(new Body(), over)).map(({ property }) => property);

describe('ids (A-57)', () => {
  it.each([1, 1_001, Number.MAX_SAFE_INTEGER])('%d is an id, as a number and as text', id => {
    expect([idOf(String(id)), refused({ id, ids: [id], text: String(id) })]).toEqual([id, []]);
  });

  it.each([0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, '1', null])('the JSON value %j is no id', id => {
    expect(refused({ id, ids: [1, id] })).toEqual(['id', 'ids']);
  });

  it.each(['', '0', '01', '-1', '1.5', '1e3', ' 1', '1\n', '9007199254740992', '9'.repeat(17), 'abc'])(
    'the text %j is no id',
    text => {
      expect([idOf(text), refused({ text })]).toEqual([undefined, ['text']]);
    },
  );
});
