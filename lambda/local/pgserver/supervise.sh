# Runs initdb (once), then postgres, until descriptor 4 ends: when the program
# at the other end of that pipe closes it or dies. Descriptor 3 is the folder's
# lock, held here, and by nothing else, until all is over.
# Arguments: bin, data, initdb's flags, a folder whose cluster is copied instead
# or "", temporary folder or "", postgres' flags.
bin=$1 data=$2 initdb=$3 like=$4 temporary=$5
shift 5
trap '' HUP INT QUIT TERM

# The watchdog signals the whole group, so it needs no process id that might
# not be known yet, and it repeats itself for a process that was just starting.
# INT is a fast shutdown to postgres; initdb misses it while it tries settings
# out, would write down bad ones, and heeds TERM.
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

rm -f "$data.restart" # of a run that was killed
# Renamed when complete: half a cluster is never taken for one.
[ -d "$data" ] || {
	rm -rf "$data.new" &&
	if [ -n "$like" ]; then cp -Rp "$like/data" "$data.new" 3<&-; else "$bin/initdb" -D "$data.new" $initdb 3<&-; fi &&
	mv "$data.new" "$data"
} && "$bin/postgres" -D "$data" "$@" 3<&-
code=$?
# Restart asks for another start, and how many seconds later, before it ends
# the server.
while [ -e "$data.restart" ]; do
	sleep "$(cat "$data.restart")"
	rm -f "$data.restart"
	"$bin/postgres" -D "$data" "$@" 3<&-
	code=$?
done

kill -s KILL $watchdog
wait $watchdog # or it is there for a moment longer than its server
if [ -n "$temporary" ]; then
	# A child of an interrupted initdb may still be writing.
	for try in 1 2 3 4 5; do
		rm -rf "$temporary" && break
		sleep 1
	done
fi
exit $code
