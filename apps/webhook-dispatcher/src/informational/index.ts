export { NoticeStore } from './informational.ports';
export { PostgresNoticeStore } from './persistence/postgres-notice.store';
export { RedeliverNotice } from './redeliver-notice.service';
export { RepeatNotices } from './repeat-notices.service';
