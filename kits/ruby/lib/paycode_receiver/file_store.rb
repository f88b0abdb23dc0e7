# frozen_string_literal: true

require 'fileutils'

module PaycodeReceiver
  # Remembers which notifications were handled, in a folder, for all processes of one machine: a file per notification (one byte until it is done), and
  # one per reversed payment. Give another object these four methods to share them between machines: kits/README.md has the statements.
  class FileStore
    def initialize(folder, claim_seconds: 60)
      FileUtils.mkdir_p(folder)
      @folder = folder
      @claim_seconds = claim_seconds
    end

    # Claims a notification atomically. NEW: you handle it. BUSY: another caller handles it now. DONE: it was handled. REVERSED: a SUCCESS whose
    # payment was announced as reversed. A claim that is older than a minute is taken over.
    def claim(notification)
      mark = path("reversed-#{notification.payment_id}")
      created?(mark) if notification.status == 'REVERSED'
      claim = take(path(notification.transaction_id))
      # Checked after the claim, so that a reversal that this check misses comes later than our claim.
      return claim if notification.status != 'SUCCESS' || !File.exist?(mark)

      release(notification.transaction_id) if claim == 'NEW'
      'REVERSED'
    end

    # The handler has succeeded.
    def done(transaction_id)
      # Not truncated: the file keeps its room on the disk.
      File.open(path(transaction_id), File::CREAT | File::WRONLY) do |file|
        file.write('DONE')
        file.fsync
      end
    end

    # The handler has failed: a repeat may try again.
    def release(transaction_id)
      FileUtils.rm_f(path(transaction_id))
    end

    # The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer.
    def pending
      names = Dir.children(@folder).grep(/\A\d+\z/)
      names.select { |name| abandoned?(look(path(name))) }.map(&:to_i)
    end

    private

    def take(file)
      return 'NEW' if created?(file)
      found = look(file)
      return 'DONE' if found && found.size > 1

      # Of several callers that find the same old claim, the one that creates this file takes it over.
      return 'BUSY' unless abandoned?(found) && created?("#{file}-taken-over-#{(found.mtime.to_f * 1000).round}")

      File.utime(Time.now, Time.now, file)
      'NEW'
    end

    # False when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails before the
    # work.
    def created?(file)
      opened = File.open(file, File::CREAT | File::EXCL | File::WRONLY)
      begin
        opened.syswrite('-')
        opened.close
        true
      rescue SystemCallError
        File.delete(file)
        raise
      end
    rescue Errno::EEXIST
      false
    end

    def abandoned?(found)
      !found.nil? && found.size <= 1 && Time.now - found.mtime > @claim_seconds
    end

    # Nil when the claim was just released.
    def look(file)
      File.stat(file)
    rescue Errno::ENOENT
      nil
    end

    def path(name)
      File.join(@folder, name.to_s)
    end
  end
end
