export const webhookKeySql = {
  after: 'select merchant_id, key_id, sealed_key from http_notification where merchant_id > $1 order by merchant_id limit $2',

  // Compares with the text that was opened, so that a key renewed meanwhile stays. changed_at stays too, because the
  // route is the same.
  replace: 'update http_notification set sealed_key = $3 where merchant_id = $1 and sealed_key = $2',
} as const;
