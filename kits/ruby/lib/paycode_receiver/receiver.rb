# frozen_string_literal: true

require 'socket'

module PaycodeReceiver
  # 200 keeps the payment, anything else reverses it. `reason`, for your log: HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW,
  # HANDLER_FAILED, TOO_LONG or the code of a RefusedBody. `after`: the handler's work when the receiver answers first, else nil; an adapter calls it
  # once the answer is sent.
  Answer = Struct.new(:status, :reason, :after)

  BODY_BYTES_MAX = 131_072

  # Decides what to answer to a notification.
  class Receiver
    BUSY_PAUSE_SECONDS = 0.05
    PROBE = /\A\s*\{\s*"result"\s*:\s*"TEST"\s*\}\s*\z/n
    TOO_SLOW = Answer.new(503, 'TOO_SLOW').freeze
    READ_BEFORE = RuntimeError.new('something has read the notification before the receiver: mount the receiver before it')
    LOG = ->(error) { warn "Paycode receiver: #{error.full_message(highlight: false)}" }
    private_constant :BUSY_PAUSE_SECONDS, :PROBE, :LOG, :TOO_SLOW, :READ_BEFORE

    # keys: gives the current keys, called at each notification: one, and during a renewal the new and the old one.
    # handler: your work with a Notification. It must be idempotent: a process may die after the work and before the store records it.
    # answer_when: :before (the answer waits for the handler, and a payment that you could not store is reversed) or :after (the handler runs after
    # the answer 200). answer_within: seconds from the arrival of the request; the answer is given by then, whatever the handler does, and is not 200
    # later. The platform waits 45. on_error: called when the handler, the keys or the store fails, or something has read the body before; `warn` else.
    def initialize(keys:, store:, handler:, answer_when: :before, answer_within: 40, on_error: LOG)
      @keys = keys
      @store = store
      @handler = handler
      @is_after = answer_when == :after
      @answer_within = answer_within
      @on_error = on_error
    end

    # The answer to a raw body. `header` gives a header's value by its name. `arrived_at`: when the request came, by Process::CLOCK_MONOTONIC.
    def receive(raw_body, header, arrived_at: now)
      due_at = arrived_at + @answer_within
      answer = answered(raw_body, header, due_at)
      answer.status == 200 && now > due_at ? TOO_SLOW : answer
    end

    # Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute; `read` is
    # client.method(:notification). One that cannot be read stays for the next call, and on_error is told; the others are handled.
    def resume(read)
      @store.pending.each do |transaction_id|
        notification = read.call(transaction_id)
        case @store.claim(notification)
        when 'NEW' then handle(notification, may_retry: false)
        when 'REVERSED' then @store.done(transaction_id)
        end
      rescue StandardError => e
        failed(e)
      end
    end

    # A Rack application, and so for Rails (`post '/paycode', to: receiver`), Sinatra and all others. The handler runs in a thread of its own. Servers of
    # Rack read the whole body before they call this; a proxy in front of them refuses a long one earlier.
    def call(env)
      return [405, {}, []] unless env['REQUEST_METHOD'] == 'POST'

      arrived_at = now - waited_seconds(env['puma.socket'])
      body = env['rack.input']&.read(BODY_BYTES_MAX + 1) || ''
      is_read = body.empty? && env['CONTENT_LENGTH'].to_i.positive?
      answer = is_read ? failed(READ_BEFORE) : receive(body, ->(name) { env["HTTP_#{name.upcase.tr('-', '_')}"] }, arrived_at: arrived_at)
      text = [answer.reason]
      # The server closes the text once it is sent.
      text.define_singleton_method(:close) { Thread.new(&answer.after) } if answer.after
      [answer.status, { 'content-type' => 'text/plain' }, text]
    rescue IOError, SystemCallError # the client broke off
      [400, {}, []]
    end

    private

    def answered(raw_body, header, due_at)
      return Answer.new(413, 'TOO_LONG') if raw_body.bytesize > BODY_BYTES_MAX
      return Answer.new(200, 'PROBE') if PROBE.match?(raw_body.b)

      notification = PaycodeReceiver.open_notification(raw_body, @keys.call, header.call('X-Webhook-Key-Id'))
      return Answer.new(200, 'TEST') if header.call('X-Webhook-Test') == '1' && notification.test?

      claimed(notification, due_at)
    rescue RefusedBody => e
      Answer.new(400, e.code)
    rescue StandardError => e
      failed(e)
    end

    def claimed(notification, due_at)
      while (claim = @store.claim(notification)) == 'BUSY' && !@is_after
        return Answer.new(503, 'BUSY') if now + BUSY_PAUSE_SECONDS > due_at

        sleep(BUSY_PAUSE_SECONDS)
      end
      return Answer.new(409, 'REVERSED') if claim == 'REVERSED'
      return Answer.new(200, 'REPEAT') unless claim == 'NEW'

      if now > due_at
        @store.release(notification.transaction_id)
        return TOO_SLOW
      end
      return Answer.new(200, 'ACCEPTED', -> { handle(notification, may_retry: false) }) if @is_after

      # A handler that runs on after the answer ends by itself.
      work = Thread.new { handle(notification, may_retry: true) }
      work.join([due_at - now, 0].max) ? work.value : TOO_SLOW
    end

    def handle(notification, may_retry:)
      @handler.call(notification)
      @store.done(notification.transaction_id)
      Answer.new(200, 'HANDLED')
    rescue StandardError => e
      # The platform does not repeat after a 200, so the claim stays and resume finds it.
      answer = failed(e)
      @store.release(notification.transaction_id) if may_retry
      answer
    end

    def failed(error)
      begin
        @on_error.call(error)
      rescue StandardError => e # a failing on_error must not cost the answer
        warn "Paycode receiver: on_error failed: #{e.full_message(highlight: false)}"
      end
      Answer.new(500, 'HANDLER_FAILED')
    end

    # How long the request has waited for a thread of the server: the age of its last packet, which Linux knows, where the server (Puma) hands on the
    # socket. In struct tcp_info of linux/tcp.h, tcpi_last_data_recv stands at byte 52, in milliseconds.
    def waited_seconds(socket)
      socket.to_io.getsockopt(Socket::IPPROTO_TCP, Socket::TCP_INFO).data.unpack1('@52L') / 1000.0
    rescue NameError, SystemCallError # another server, or another system
      0
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
