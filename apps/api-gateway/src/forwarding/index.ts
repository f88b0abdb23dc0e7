export { ForwardingModule } from './forwarding.module';
export { PlainListener } from './http/plain-listener.service';
export { PublicListener } from './http/public-listener.service';
