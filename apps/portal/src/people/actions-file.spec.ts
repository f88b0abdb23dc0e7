import { actionsFile } from './actions-file';

it('a name or a detail that looks like a formula is a text in a spreadsheet, whatever its person chose (T-25)', () => {
  const action = { auditEventId: '1', at: '2030-01-01T10:00:00.000Z', action: 'PERSON_INVITED', merchantId: '0071' };
  const file = actionsFile([{ ...action, personName: '-Sipho', address: '+1', detail: { name: '=1+1, "x"' } }]);
  expect(file.split('\r\n')[1]).toBe(`2030-01-01T10:00:00.000Z,'-Sipho,PERSON_INVITED,'0071,'+1,"name: =1+1, ""x"""`);
});
