# frozen_string_literal: true

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
    private_constant :BUSY_PAUSE_SECONDS, :PROBE

    # keys: gives the current keys, called at each notification: one, and during a renewal the new and the old one.
    # handler: your work with a Notification. It must be idempotent: a process may die after the work and before the store records it.
    # answer_when: :before (the answer waits for the handler, and a payment that you could not store is reversed) or :after (the handler runs after
    # the answer 200). answer_within: seconds; the answer is given by then, whatever the handler does. The platform waits 45.
    # on_error: called when the handler, the keys or the store fails.
    def initialize(keys:, store:, handler:, answer_when: :before, answer_within: 40, on_error: ->(error) {})
      @keys = keys
      @store = store
      @handler = handler
      @is_after = answer_when == :after
      @answer_within = answer_within
      @on_error = on_error
    end

    # The answer to a raw body. `header` gives a header's value by its name.
    def receive(raw_body, header)
      due_at = now + @answer_within
      return Answer.new(413, 'TOO_LONG') if raw_body.bytesize > BODY_BYTES_MAX
      return Answer.new(200, 'PROBE') if PROBE.match?(raw_body.b)

      notification = PaycodeReceiver.open_notification(raw_body, @keys.call)
      return Answer.new(200, 'TEST') if header.call('X-Webhook-Test') == '1' && notification.test?

      claimed(notification, due_at)
    rescue RefusedBody => e
      Answer.new(400, e.code)
    rescue StandardError => e
      failed(e)
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
        @on_error.call(e)
      end
    end

    # A Rack application, and so for Rails (`post '/paycode', to: receiver`), Sinatra and all others. The handler runs in a thread of its own.
    def call(env)
      return [405, {}, []] unless env['REQUEST_METHOD'] == 'POST'

      body = env['rack.input'].read(BODY_BYTES_MAX + 1) || ''
      answer = receive(body, ->(name) { env["HTTP_#{name.upcase.tr('-', '_')}"] })
      Thread.new(&answer.after) if answer.after
      [answer.status, { 'content-type' => 'text/plain' }, [answer.reason]]
    end

    private

    def claimed(notification, due_at)
      while (claim = @store.claim(notification)) == 'BUSY' && !@is_after
        return Answer.new(503, 'BUSY') if now + BUSY_PAUSE_SECONDS > due_at

        sleep(BUSY_PAUSE_SECONDS)
      end
      return Answer.new(409, 'REVERSED') if claim == 'REVERSED'
      return Answer.new(200, 'REPEAT') unless claim == 'NEW'
      return Answer.new(200, 'ACCEPTED', -> { handle(notification, may_retry: false) }) if @is_after

      # A handler that runs on after the answer ends by itself.
      work = Thread.new { handle(notification, may_retry: true) }
      work.join([due_at - now, 0].max) ? work.value : Answer.new(503, 'TOO_SLOW')
    end

    def handle(notification, may_retry:)
      @handler.call(notification)
      @store.done(notification.transaction_id)
      Answer.new(200, 'HANDLED')
    rescue StandardError => e
      # The platform does not repeat after a 200, so the claim stays and resume finds it.
      @store.release(notification.transaction_id) if may_retry
      failed(e)
    end

    def failed(error)
      @on_error.call(error)
      Answer.new(500, 'HANDLER_FAILED')
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
