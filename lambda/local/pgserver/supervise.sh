# Runs initdb (once), then postgres, until descriptor 4 reaches its end, because the
# program at the other end of the pipe closed it or died. Descriptor 3 is the folder's
# lock; only this shell holds it, until everything has ended.
# Arguments: bin, data, initdb's flags, a folder with a cluster to copy instead or "",
# temporary folder or "", postgres' flags.
bin=$1 data=$2 initdb=$3 like=$4 temporary=$5
shift 5
trap '' HUP INT QUIT TERM

# The watchdog signals the whole group, because a process id may not be known yet, and
# repeats the signals, because a process may just be starting. For postgres INT is a fast
# shutdown. initdb needs TERM: it misses INT while probing settings and would write bad ones.
{
	read -r line
	tries=0
	while :; do
		kill -s TERM 0
		if [ $tries -lt 20 ]; then kill -s INT 0; else kill -s QUIT 0; fi
		tries=$((tries + 1))
		sleep 1
	done
} <&4 4<&- 3<&- &
watchdog=$!
exec 4<&-

rm -f "$data.restart" # left over from a killed run
# Renamed once complete, so that an incomplete cluster is never used.
[ -d "$data" ] || {
	rm -rf "$data.new" &&
	if [ -n "$like" ]; then cp -Rp "$like/data" "$data.new" 3<&-; else "$bin/initdb" -D "$data.new" $initdb 3<&-; fi &&
	mv "$data.new" "$data"
} && "$bin/postgres" -D "$data" "$@" 3<&-
code=$?
# Before Restart stops the server, it requests another start by a file with the delay in
# seconds.
while [ -e "$data.restart" ]; do
	sleep "$(cat "$data.restart")"
	rm -f "$data.restart"
	"$bin/postgres" -D "$data" "$@" 3<&-
	code=$?
done

kill -s KILL $watchdog
wait $watchdog # otherwise it may outlive the server for a moment
if [ -n "$temporary" ]; then
	# A child of an interrupted initdb may still be writing.
	for try in 1 2 3 4 5; do
		rm -rf "$temporary" && break
		sleep 1
	done
fi
exit $code
